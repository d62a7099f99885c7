import { LineSocket } from "./lines.mjs";
import { tapped } from "./tap.mjs";

export const WebSocket = tapped(LineSocket);
export const portOf = (broker) => broker.port;
