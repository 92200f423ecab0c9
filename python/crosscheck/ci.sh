#!/bin/sh
# One check for a CI job: annotations, a summary and a SARIF file from a single
# look at the world. Everything comes in through variables and is passed on as
# words, never as text of a script.
#
#   CROSSCHECK_COMMAND   ci, pr, rows, claims, sources, trace or `done check`
#   CROSSCHECK_ARGS      its arguments, one on each line; without any, `pr` takes
#                        the pull request or merge request of the job
#   CROSSCHECK_FAIL_ON   refuted, undecided, or never; default undecided for `ci`,
#                        whose checks say themselves what passes, else refuted
#   CROSSCHECK_REPORT    folder for report.ndjson, report.sarif and report.html
#   CROSSCHECK_PROGRAM   the program; default `crosscheck`
set -u

program=${CROSSCHECK_PROGRAM:-crosscheck}
folder=${CROSSCHECK_REPORT:-crosscheck-report}
own=refuted
[ "${CROSSCHECK_COMMAND:-}" != ci ] || own=undecided
fail_on=${CROSSCHECK_FAIL_ON:-$own}
mkdir -p "$folder" || exit 3

set --
case ${CROSSCHECK_COMMAND:-} in
  ci | pr | rows | claims | sources | trace) set -- "$CROSSCHECK_COMMAND" ;;
  "done check") set -- "done" check ;;
  *)
    echo "crosscheck: the command must be ci, pr, rows, claims, sources, trace or \`done check\`" >&2
    exit 3
    ;;
esac
case $fail_on in
  refuted | undecided | never) ;;
  *)
    echo "crosscheck: fail-on must be refuted, undecided or never" >&2
    exit 3
    ;;
esac
while IFS= read -r word; do
  [ -z "$word" ] || set -- "$@" "$word"
done <<WORDS
${CROSSCHECK_ARGS:-}
WORDS

if [ "$*" = pr ] && [ -n "${GITHUB_EVENT_PATH:-}" ]; then
  set -- pr --event "$GITHUB_EVENT_PATH"
elif [ "$*" = pr ] && [ -n "${CI_MERGE_REQUEST_DIFF_BASE_SHA:-}" ]; then
  printf '%s\n\n%s\n' "${CI_MERGE_REQUEST_TITLE:-}" "${CI_MERGE_REQUEST_DESCRIPTION:-}" >"$folder/request.md" || exit 3
  set -- pr --base "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --text "$folder/request.md"
fi

rm -f "$folder/report.ndjson"
if [ "$1" = ci ]; then
  "$program" "$@" --quiet --output "ndjson=$folder/report.ndjson" \
    --output "sarif=$folder/report.sarif" --output "html=$folder/report.html" >/dev/null
else
  "$program" "$@" --format ndjson >"$folder/report.ndjson"
fi
code=$?
case $code in
  0) verdict=confirmed ;;
  1) verdict=refuted ;;
  2) verdict=undecided ;;
  *)
    echo "crosscheck: the check could not run (exit code $code)" >&2
    # the reports of `ci` name the check, and those that did run
    [ "$1" = ci ] && [ -s "$folder/report.ndjson" ] || exit 3
    verdict=undecided
    ;;
esac

if [ "$1" != ci ]; then
  "$program" render "$folder/report.ndjson" --format sarif --output "$folder/report.sarif" || exit 3
  "$program" render "$folder/report.ndjson" --format html --output "$folder/report.html" || exit 3
fi
if [ -n "${GITHUB_ACTIONS:-}" ]; then
  "$program" render "$folder/report.ndjson" --format github
else
  "$program" render "$folder/report.ndjson" --format human
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  "$program" render "$folder/report.ndjson" --format markdown >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'verdict=%s\nsarif=%s\nreport=%s\n' "$verdict" "$folder/report.sarif" "$folder/report.html" >>"$GITHUB_OUTPUT"
fi

[ "$code" -le 2 ] || exit 3
case $fail_on/$verdict in
  refuted/refuted | undecided/refuted | undecided/undecided) exit "$code" ;;
esac
exit 0
