// Finds the program: each platform has a package of its own, and npm installs the one that fits.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);

function isMusl() {
  if (process.platform !== "linux") return false;
  try {
    return readFileSync("/usr/bin/ldd", "latin1").includes("musl");
  } catch {
    return process.report?.getReport()?.header?.glibcVersionRuntime === undefined;
  }
}

/** The path of the program; the variable CROSSCHECK_PROGRAM names another one. */
export function findProgram() {
  if (process.env.CROSSCHECK_PROGRAM) return process.env.CROSSCHECK_PROGRAM;
  const base = `crosscheck-cli-${process.platform}-${process.arch}`;
  // a program that was built for musl is static and runs with glibc, too
  const names = isMusl() ? [`${base}-musl`] : [base, `${base}-musl`];
  for (const name of names) {
    try {
      return require.resolve(`${name}/bin/crosscheck`);
    } catch {
      // not installed, so not for this platform
    }
  }
  throw new Error(
    `crosscheck has no program for ${process.platform} ${process.arch}, or optional dependencies were left out; ` +
      "install without --omit=optional, or name a program in CROSSCHECK_PROGRAM",
  );
}
