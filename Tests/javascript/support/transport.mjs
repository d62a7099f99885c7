import { tapped } from "./tap.mjs";

/** The WebSocket of the platform; its frames are dumped. */
export const WebSocket = tapped(globalThis.WebSocket);
