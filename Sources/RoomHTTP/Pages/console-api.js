// The admin API from the browser: the session, the requests, and the stream of events.

const CSRF_KEY = "roomline.console.csrf";
/** Each includes those before it. */
const SCOPES = ["read", "moderate", "manage"];
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/** A refusal of the broker, with its stable code. */
export class APIError extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? problem?.message ?? `the broker answered ${status}`);
    this.status = status;
    this.code = problem?.code;
  }
}

async function problemOf(answer) {
  try {
    return await answer.json();
  } catch {
    // an answer of something between the broker and this page
    return undefined;
  }
}

export class API {
  /** @param onSignedOut called when the session has ended */
  constructor(onSignedOut) {
    this.onSignedOut = onSignedOut;
    // lost with the tab; the cookie itself is out of reach of scripts
    this.csrf = sessionStorage.getItem(CSRF_KEY) ?? undefined;
    for (const name of ["pointerdown", "pointermove", "keydown", "wheel"]) {
      addEventListener(name, () => (this.isAttended = true), { capture: true, passive: true });
    }
  }

  /** Begins a session with `{ token }` or `{ code }`. */
  async signIn(proof) {
    const answer = await fetch("/console/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(proof),
    });
    if (!answer.ok) throw new APIError(answer.status, await problemOf(answer));
    const session = await answer.json();
    this.scopes = session.scopes;
    this.keep(session.csrf);
  }

  /** Learns what the session of this tab may do, after the page was loaded anew. */
  async resume() {
    const answer = await fetch("/console/session", { headers: this.headers() });
    if (!answer.ok) throw new APIError(answer.status, await problemOf(answer));
    this.scopes = (await answer.json()).scopes;
  }

  /** Whether the token has the scope, or one that includes it. The broker checks it again. */
  may(scope) {
    return SCOPES.slice(SCOPES.indexOf(scope)).some((name) => this.scopes?.includes(name));
  }

  async signOut() {
    try {
      await fetch("/console/session", { method: "DELETE", headers: this.headers() });
    } finally {
      this.keep(undefined);
      this.onSignedOut();
    }
  }

  keep(csrf) {
    this.csrf = csrf;
    if (csrf) sessionStorage.setItem(CSRF_KEY, csrf);
    else sessionStorage.removeItem(CSRF_KEY);
  }

  /** Requests that the page makes by itself, while nobody touches it, do not make the session last longer. */
  headers() {
    const { isAttended } = this;
    this.isAttended = false;
    if (!this.csrf) return {};
    return { "X-Roomline-CSRF": this.csrf, ...(isAttended ? {} : { "X-Roomline-Unattended": "1" }) };
  }

  /** One request. `body` becomes JSON; the answer is what its JSON says, or undefined. */
  async call(method, path, body, headers = {}) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await fetch(`/admin/v1${path}`, {
      method,
      cache: "no-store",
      headers: { ...this.headers(), ...(body === undefined ? {} : { "Content-Type": type }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (answer.status === 401) {
      this.keep(undefined);
      this.onSignedOut();
    }
    if (!answer.ok) throw new APIError(answer.status, await problemOf(answer));
    return answer.status === 204 ? undefined : answer.json();
  }

  get(path) {
    return this.call("GET", path);
  }

  /** All pages of a list. `limit` bounds the entries, `more` is told about each page. */
  async list(path, key, { limit = 50_000, cursor = "after", size = 1000 } = {}) {
    const all = [];
    let next;
    do {
      const mark = path.includes("?") ? "&" : "?";
      const page = await this.get(`${path}${mark}limit=${size}${next ? `&${cursor}=${encodeURIComponent(next)}` : ""}`);
      all.push(...page[key]);
      next = page.next;
    } while (next && all.length < limit);
    return all;
  }

  /**
   * Reads a stream of events until `signal` ends it, and comes back where it was.
   * @param handlers `event(name, data, id)`, and where it is of interest `state(isLive)`
   * @param last the id of the event before the first
   */
  async follow(path, handlers, signal, last) {
    let pause = FIRST_PAUSE;
    while (!signal.aborted) {
      try {
        const answer = await fetch(`/admin/v1${path}`, {
          signal,
          cache: "no-store",
          headers: { ...this.headers(), ...(last ? { "Last-Event-ID": last } : {}) },
        });
        if (answer.status === 401) return;
        if (!answer.ok) throw new APIError(answer.status);
        handlers.state?.(true);
        pause = FIRST_PAUSE;
        for await (const event of events(answer.body)) {
          last = event.id ?? last;
          handlers.event(event.name, event.data, event.id);
        }
      } catch {
        // the broker is gone or busy: the loop tries again
      }
      if (signal.aborted) return;
      handlers.state?.(false);
      await new Promise((done) => setTimeout(done, pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }
}

/** Server-sent events of a body (WHATWG HTML §9.2). */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2)));
      if (fields.has("data")) {
        yield { id: fields.get("id"), name: fields.get("event"), data: JSON.parse(fields.get("data")) };
      }
    }
  }
}

/** The path of a channel, a room of it, and what is below. */
export function path(channel, room, rest = "") {
  const base = `/channels/${encodeURIComponent(channel)}`;
  return room === undefined ? base + rest : `${base}/rooms/${encodeURIComponent(room)}${rest}`;
}
