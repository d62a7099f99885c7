import net from "node:net";

/** JSON lines over TCP with the interface of a WebSocket, for a broker that has no WebSocket. */
export class LineSocket {
  readyState = 0;
  #socket;
  #rest = "";

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.#socket = net.connect(Number(port), hostname).setEncoding("utf8");
    this.#socket.on("connect", () => {
      this.readyState = 1;
      this.onopen({});
    });
    this.#socket.on("data", (text) => this.#received(text));
    this.#socket.on("error", (error) => this.onerror(error));
    this.#socket.on("close", () => {
      this.readyState = 3;
      this.onclose({ code: 1006, reason: "" });
    });
  }

  #received(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const data of lines) this.onmessage({ data });
  }

  send(text) {
    this.#socket.write(`${text}\n`);
  }

  close() {
    this.readyState = 2;
    this.#socket.end();
  }
}
