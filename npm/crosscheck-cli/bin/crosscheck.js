#!/usr/bin/env node
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findProgram } from "../program.js";

let program;
try {
  program = findProgram();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(3);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
