export type Verdict = "confirmed" | "undecided" | "refuted";

export interface Reason {
  /** A code that `crosscheck explain` describes. */
  reason: string;
  message: string;
}

export interface Place {
  path: string;
  line?: number;
  column?: number;
  endLine?: number;
}

/** One thing that was checked. */
export interface Unit {
  unit: string;
  claim: string;
  verdict: Verdict;
  reasons: Reason[];
  expected?: string;
  observed?: string;
  place?: Place;
  link?: string;
}

export type Format = "human" | "json" | "ndjson" | "junit" | "sarif" | "markdown" | "html" | "github" | "csv";

/** The result of a check. */
export class Report {
  readonly verdict: Verdict;
  readonly summary: string;
  readonly subject: string;
  readonly verifier: string;
  readonly units: Unit[];
  readonly notices: string[];
  readonly confirmed: boolean;
  /** Throws NotConfirmed with what is not confirmed. */
  assertConfirmed(): this;
  explain(): string;
  render(format: Format): Promise<string>;
  toHtml(): Promise<string>;
}

/** A check could not run. */
export class CouldNotRun extends Error {
  readonly code: string;
  readonly help: string;
}

export class NotConfirmed extends Error {
  readonly report: Report;
}

/** A path, the text or bytes of a log, a URL of a file, or a list of messages. */
export type Log = string | URL | Uint8Array | readonly unknown[] | Record<string, unknown>;
/** The text itself, its bytes, a URL of a file, or an object that becomes JSON. */
export type Text = string | URL | Uint8Array | Record<string, unknown>;

export interface WorkerOptions {
  /** Folder that checks may read; default everything. */
  root?: string;
  /** Number of checks at the same time. */
  jobs?: number;
  /** Seconds for one check; default 60. */
  limit?: number;
  /** Further options of `crosscheck batch`. */
  options?: string[];
  /** Whether checks may name databases by URL; default true. */
  anyDatabase?: boolean;
}

/** One `crosscheck batch` process. */
export class Worker {
  constructor(options?: WorkerOptions);
  readonly pid: number | undefined;
  ask(job: Record<string, unknown> & { task: string }): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export function findProgram(): string;
export function defaultWorker(): Worker;
export function setDefaultWorker(worker: Worker): void;

export function rows(
  log: Log,
  options: { db: string; contract?: Text; format?: string; redact?: boolean },
): Promise<Report>;
export function quick(log: Log, options: { db: string }): Promise<Report>;
export function check(workflowId: string, options: { events: Text; registry: Text; db: string }): Promise<Report>;
export function claims(document: Text, options?: { root?: string }): Promise<Report>;
export function sources(document: Text, options?: { name?: string }): Promise<Report>;
export function trace(options: { runDir?: string; trace?: Text; plan?: Text }): Promise<Report>;
export function judge(
  claim: string,
  text: string,
  options?: { kind?: "file" | "web" | "json" | "search" },
): Promise<Report>;
export function done(message?: string, options?: { transcript?: Log; root?: string }): Promise<Report>;
export function verify(workspace: string, options?: { project?: string }): Promise<Report>;
export function explain(code: string): Promise<string>;
