// Checks over `crosscheck batch`: one process, started with the first check and again when it died.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { findProgram } from "./program.js";

export { findProgram };

const TRIES = 3;
/** What `crosscheck batch` reads as one job; a longer one is not worth sending. */
const MAX_JOB = 64 * 2 ** 20;

/** A check could not run. A verdict is never an error. */
export class CouldNotRun extends Error {
  constructor({ code, message, help = "" }) {
    super(`${message} [${code}]${help ? `; ${help}` : ""}`);
    this.name = "CouldNotRun";
    this.code = code;
    this.help = help;
  }
}

/** What assertConfirmed throws. */
export class NotConfirmed extends Error {
  constructor(report) {
    super(report.explain());
    this.name = "NotConfirmed";
    this.report = report;
  }
}

const DIED = { code: "BATCH_WORKER_LOST", message: "the process that does the checks ended without an answer" };

const TOO_LARGE = { code: "INPUT_TOO_LARGE", message: "the job is larger than 64 MiB", help: "name large inputs by their path" };

/** One `crosscheck batch` process. */
export class Worker {
  #words;
  #process = null;
  #waiting = new Map();
  #next = 0;

  constructor({ root = "/", jobs, limit = 60, options = [], anyDatabase = true } = {}) {
    this.#words = ["batch", "--unordered", "--root", root, "--limit", String(limit)];
    if (jobs !== undefined) this.#words.push("--jobs", String(jobs));
    if (anyDatabase) this.#words.push("--any-database");
    this.#words.push(...options);
  }

  /** The answer of a job; throws CouldNotRun if it could not be done. */
  async ask(job) {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(job);
      const died = answer === DIED;
      if (!died && !answer.error) return answer;
      if (!died || attempt === TRIES) throw new CouldNotRun(died ? DIED : answer.error);
    }
  }

  /** The process, if there is one. */
  get pid() {
    return this.#process?.pid;
  }

  /** Ends the process; the next check starts another one. */
  close() {
    const child = this.#process;
    this.#process = null;
    if (!child) return Promise.resolve();
    return new Promise((done) => {
      busy(child);
      child.once("close", done);
      child.stdin.end();
    });
  }

  #send(job) {
    const id = this.#next++;
    // the id comes first: `batch` answers by it even where the rest cannot be read
    const line = JSON.stringify({ id, ...job, id });
    if (Buffer.byteLength(line) >= MAX_JOB) return Promise.resolve({ error: TOO_LARGE });
    const child = this.#running();
    return new Promise((answered) => {
      this.#waiting.set(id, { answered, child });
      busy(child);
      child.stdin.write(`${line}\n`);
    });
  }

  #running() {
    if (this.#process) return this.#process;
    const child = spawn(findProgram(), this.#words, { stdio: ["pipe", "pipe", "inherit"] });
    this.#process = child;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const answer = JSON.parse(line);
      this.#waiting.get(answer.id)?.answered(answer);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) idle(child);
    });
    const gone = () => {
      if (this.#process === child) this.#process = null;
      for (const [id, open] of this.#waiting) {
        if (open.child !== child) continue;
        this.#waiting.delete(id);
        open.answered(DIED);
      }
    };
    child.on("error", gone);
    child.on("close", gone);
    child.stdin.on("error", () => {}); // a process that ended is seen by its close
    return child;
  }
}

function busy(child) {
  for (const part of [child, child.stdin, child.stdout]) part.ref?.();
}

// a program that has nothing left to ask may end; the process then sees the end of its input
function idle(child) {
  for (const part of [child, child.stdin, child.stdout]) part.unref?.();
}

let shared = new Worker();

/** Lets the functions of this module use a process with other options. */
export function setDefaultWorker(worker) {
  shared = worker;
}

/** The process that the functions of this module share. */
export function defaultWorker() {
  return shared;
}

/** The result of a check: a verdict, and a unit for each thing that was checked. */
export class Report {
  constructor(answer) {
    this.verdict = answer.verdict;
    this.summary = answer.summary;
    this.subject = answer.subject;
    this.verifier = answer.verifier;
    this.units = answer.units;
    this.notices = answer.notices ?? [];
  }

  get confirmed() {
    return this.verdict === "confirmed";
  }

  assertConfirmed() {
    if (!this.confirmed) throw new NotConfirmed(this);
    return this;
  }

  /** What is not confirmed, a few lines for each unit. */
  explain() {
    const lines = [`crosscheck ${this.verifier}: ${this.verdict} (${this.summary})`];
    for (const verdict of ["refuted", "undecided"]) {
      for (const unit of this.units.filter((one) => one.verdict === verdict)) {
        lines.push(`  ${verdict.toUpperCase()} ${unit.claim}`);
        for (const { reason, message } of unit.reasons) lines.push(`    ${reason}: ${message}`);
      }
    }
    return lines.join("\n");
  }

  /** The report as html, markdown, sarif, junit, json, csv, github or human. */
  async render(format) {
    const { verdict, summary, subject, verifier, units, notices } = this;
    const report = { verdict, summary, subject, verifier, units, notices };
    return (await shared.ask({ task: "render", format, report })).text;
  }

  toHtml() {
    return this.render("html");
  }
}

const absolute = (path) => (path === undefined ? undefined : resolve(path));

/** Whether a value can be a log or a text; a number or `null` cannot. */
const holds = (value) => typeof value === "string" || (typeof value === "object" && value !== null);

function logInput(log) {
  if (!holds(log)) throw new TypeError("there is no log: give a path, text, bytes or messages");
  if (log instanceof URL) return { path: log.pathname };
  if (log instanceof Uint8Array) return { text: new TextDecoder().decode(log) };
  if (typeof log !== "string") return { text: JSON.stringify(log) };
  const isText = log.includes("\n") || /^\s*[[{]/.test(log);
  return isText ? { text: log } : { path: resolve(log) };
}

function textInput(value) {
  if (value === undefined) return undefined;
  if (!holds(value)) throw new TypeError("there is no text: give a path, the text or its bytes");
  if (value instanceof URL) return { path: value.pathname };
  if (value instanceof Uint8Array) return { text: new TextDecoder().decode(value) };
  return { text: typeof value === "string" ? value : JSON.stringify(value) };
}

function database(db) {
  if (typeof db !== "string" || db === "") throw new TypeError("there is no database: give its file or URL as `db`");
  return db.includes("://") ? db : resolve(db);
}

/** The options of a check; a name that it does not have is an error. */
function options(given, ...known) {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new TypeError(`unknown option \`${name}\`; the options are ${known.join(", ")}`);
  }
  return given;
}

const report = async (job) => new Report(await shared.ask(job));

export async function rows(log, given = {}) {
  const { db, contract, format, redact } = options(given, "db", "contract", "format", "redact");
  return report({
    task: "rows",
    log: logInput(log),
    db: database(db),
    contract: typeof contract === "string" && !contract.includes("\n") ? { path: resolve(contract) } : textInput(contract),
    format,
    redact,
  });
}

export async function quick(log, given = {}) {
  const { db } = options(given, "db");
  return report({ task: "quick", log: logInput(log), db: database(db) });
}

export async function check(workflowId, given = {}) {
  const { events, registry, db } = options(given, "events", "registry", "db");
  return report({
    task: "check",
    workflow_id: workflowId,
    events: textInput(events),
    registry: textInput(registry),
    db: database(db),
  });
}

export async function claims(document, given = {}) {
  const { root = "." } = options(given, "root");
  return report({ task: "claims", document: textInput(document), root: resolve(root) });
}

export async function sources(document, given = {}) {
  const { name } = options(given, "name");
  return report({ task: "sources", document: textInput(document), name });
}

export async function trace(given = {}) {
  const { runDir, trace, plan } = options(given, "runDir", "trace", "plan");
  return report({ task: "trace", run_dir: absolute(runDir), trace: textInput(trace), plan: textInput(plan) });
}

export async function judge(claim, text, given = {}) {
  const { kind = "file" } = options(given, "kind");
  return report({ task: "judge", claim, text, kind });
}

export async function done(message, given = {}) {
  const { transcript, root = "." } = options(given, "transcript", "root");
  return report({
    task: "done",
    message,
    transcript: transcript === undefined ? undefined : logInput(transcript),
    root: resolve(root),
  });
}

export async function verify(workspace, given = {}) {
  const { project = "." } = options(given, "project");
  return report({ task: "verify", workspace, project: resolve(project) });
}

export const explain = async (code) => (await shared.ask({ task: "explain", code })).text;
