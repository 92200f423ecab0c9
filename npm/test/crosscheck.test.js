// node --test npm/test, with the package at hand as `crosscheck-cli`
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as crosscheck from "../crosscheck-cli/index.js";

const folder = mkdtempSync(join(tmpdir(), "crosscheck-node-"));
const tour = join(folder, "tour");

before(() => execFileSync(crosscheck.findProgram(), ["demo", tour]));
after(() => crosscheck.defaultWorker().close());

test("a lie is refuted, as a path, text, bytes and messages", async () => {
  const path = join(tour, "calls.ndjson");
  const messages = [
    { role: "user", content: "Refund it." },
    {
      role: "assistant",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "orders_update", arguments: '{"id":"o_1002","status":"refunded"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: '{"id":"o_1002","status":"refunded"}' },
  ];
  for (const log of [path, readFileSync(path), readFileSync(path, "utf8"), messages]) {
    const report = await crosscheck.rows(log, { db: join(tour, "shop.db") });
    assert.equal(report.verdict, "refuted");
    assert.throws(() => report.assertConfirmed(), /VALUE_MISMATCH/);
  }
});

test("a true log is confirmed and a report is a page", async () => {
  const report = await crosscheck.rows(join(tour, "trusted.ndjson"), { db: join(tour, "shop.db") });
  report.assertConfirmed();
  assert.match(await report.toHtml(), /^<!doctype html>/i);
});

test("a check that could not run is an error with a code", async () => {
  const asked = crosscheck.rows(join(tour, "calls.ndjson"), { db: join(tour, "missing.db") });
  await assert.rejects(asked, (error) => error instanceof crosscheck.CouldNotRun && error.code.length > 0);
});

test("what is missing or misspelt is named", async () => {
  const [path, db] = [join(tour, "trusted.ndjson"), join(tour, "shop.db")];
  for (const [asked, said] of [
    [() => crosscheck.rows(path, { db, contarct: "x" }), /unknown option `contarct`/],
    [() => crosscheck.rows(null, { db }), /there is no log/],
    [() => crosscheck.rows(5, { db }), /there is no log/],
    [() => crosscheck.rows(path), /there is no database/],
    [() => crosscheck.claims(null), /there is no text/],
    [() => crosscheck.done("x", { rot: "." }), /unknown option `rot`/],
  ]) {
    await assert.rejects(asked, (error) => error instanceof TypeError && said.test(error.message));
  }
});

test("a job that is too long is an error and no wait", async () => {
  await assert.rejects(crosscheck.judge("x", "y ".repeat(33 << 20)), /INPUT_TOO_LARGE/);
});

test("the other verifiers answer", async () => {
  writeFileSync(join(folder, "notes.txt"), "The limit is 40 requests.\n");
  assert.equal((await crosscheck.judge("It is 40.", "It is 40.")).verdict, "confirmed");
  assert.equal((await crosscheck.done("I created `missing.py`.", { root: folder })).verdict, "refuted");
  assert.equal((await crosscheck.quick(join(tour, "calls.ndjson"), { db: join(tour, "shop.db") })).verdict, "refuted");
  assert.match(await crosscheck.explain("VALUE_MISMATCH"), /VALUE_MISMATCH/);
});

test("a process that died is started again", async () => {
  const worker = new crosscheck.Worker({ jobs: 1 });
  const job = { task: "judge", claim: "a b c", text: "a b c" };
  await worker.ask(job);
  const asked = Promise.all(Array.from({ length: 200 }, () => worker.ask(job)));
  process.kill(worker.pid, "SIGKILL");
  assert.equal((await asked).length, 200);
  await worker.close();
});

test("a script that has nothing left to ask ends", () => {
  const code = `import { judge } from ${JSON.stringify(new URL("../crosscheck-cli/index.js", import.meta.url).href)};
    await judge("a", "a"); console.log("over");`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", code], { timeout: 20000, encoding: "utf8" });
  assert.equal(run.stdout.trim(), "over");
  assert.equal(run.status, 0);
});
