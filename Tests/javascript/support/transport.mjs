import http from "node:http";
import { BrokerProcess } from "./broker.mjs";
import { LineSocket } from "./lines.mjs";
import { tapped } from "./tap.mjs";

/** Whether the broker that is tested takes WebSockets; otherwise the same frames go over TCP. */
const hasWebSocket = await takesWebSockets();

/** The WebSocket of the platform; its frames are dumped. */
export const WebSocket = tapped(hasWebSocket ? globalThis.WebSocket : LineSocket);

/** Where a broker listens for it. */
export const portOf = (broker) => (hasWebSocket ? broker.httpPort : broker.port);

async function takesWebSockets() {
  const broker = await BrokerProcess.start();
  const headers = {
    Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const request = http.get({ port: broker.httpPort, host: "127.0.0.1", path: "/v3/websocket", headers });
  const takes = await new Promise((resolve, reject) => {
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve(true);
    });
    request.on("response", (response) => {
      response.resume();
      resolve(false);
    });
    request.on("error", reject);
  });
  await broker.close();
  return takes;
}
