// Where ROOMLINE_FRAME_DUMP names a directory: writes the frames of WebSockets and event streams to a file there, for
// scripts/validate-frames.
import { openSync, writeSync } from "node:fs";
import { randomUUID } from "node:crypto";
import path from "node:path";

const directory = process.env.ROOMLINE_FRAME_DUMP;
const file = directory && openSync(path.join(directory, `${randomUUID()}.jsonl`), "a");

function dump(direction, frame) {
  if (file) writeSync(file, `{"direction":"${direction}","frame":${frame}}\n`);
}

/** A WebSocket class that dumps its frames. */
export function tapped(Base) {
  return class {
    #socket;

    constructor(url) {
      this.#socket = new Base(url);
      this.#socket.onopen = (event) => this.onopen(event);
      this.#socket.onclose = (event) => this.onclose(event);
      this.#socket.onerror = (event) => this.onerror(event);
      this.#socket.onmessage = (event) => {
        dump("broker", event.data);
        this.onmessage(event);
      };
    }

    get readyState() {
      return this.#socket.readyState;
    }

    send(text) {
      dump("client", text);
      this.#socket.send(text);
    }

    close(code) {
      this.#socket.close(code);
    }
  };
}

/** A fetch that dumps the frames that it posts, and those of event streams. */
export function tappedFetch(base) {
  return async (url, options) => {
    for (const line of options.body?.split("\n") ?? []) dump("client", line);
    const response = await base(url, options);
    if (!file || options.method === "POST" || response.status !== 200) return response;
    let rest = "";
    let isSession = false;
    const decoder = new TextDecoder();
    const tap = new TransformStream({
      transform(bytes, controller) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          if (line.startsWith("data: ") && !isSession) dump("broker", line.slice(6));
          isSession = line === "event: session";
        }
        controller.enqueue(bytes);
      },
    });
    return new Response(response.body.pipeThrough(tap), { headers: response.headers });
  };
}
