// Where ROOMLINE_FRAME_DUMP names a directory: writes the frames of WebSockets to a file there, for scripts/validate-frames.
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
