import { execFileSync } from "node:child_process";
import { binary } from "./broker.mjs";
import { LineSocket } from "./lines.mjs";
import { tapped } from "./tap.mjs";

/** Whether the broker that is tested has WebSocket; otherwise the same frames go over TCP. */
const hasWebSocket = execFileSync(binary, ["serve", "--help"], { encoding: "utf8" }).includes("--websocket-");

/** The WebSocket of the platform; its frames are dumped. */
export const WebSocket = tapped(hasWebSocket ? globalThis.WebSocket : LineSocket);

/** Where a broker listens for it. */
export const portOf = (broker) => (hasWebSocket ? broker.httpPort : broker.port);
