// For the examples, which use the WebSocket of the platform.
import { WebSocket } from "./transport.mjs";

globalThis.WebSocket = WebSocket;
