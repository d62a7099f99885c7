import net from "node:net";
export class LineSocket {
  readyState = 0;
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.socket = net.connect(Number(port), hostname);
    this.socket.setEncoding("utf8");
    let rest = "";
    this.socket.on("connect", () => { this.readyState = 1; this.onopen?.({}); });
    this.socket.on("data", (t) => { const lines = (rest + t).split("\n"); rest = lines.pop(); for (const data of lines) this.onmessage?.({ data }); });
    this.socket.on("error", () => {});
    this.socket.on("close", () => { this.readyState = 3; this.onclose?.({ code: 1006, reason: "" }); });
  }
  send(text) { this.socket.write(text + "\n"); }
  close() { this.readyState = 2; this.socket.end(); }
}
