import { tapped, tappedFetch } from "./tap.mjs";

/** The WebSocket of the platform; its frames are dumped. */
export const WebSocket = tapped(globalThis.WebSocket);

/** The fetch of the platform; the frames of event streams are dumped. */
export const fetch = tappedFetch(globalThis.fetch);
