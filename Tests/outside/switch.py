"""A network link in userspace: it can be cut in each direction, as no firewall is needed for."""

import asyncio
import contextlib
import threading


class Switch:
    """Forwards what comes to `port` on loopback to `target`. What is sent while it is cut waits, as in a network that loses packets.

    Connections that have sent `label` can be spared."""

    def __init__(self, target, label=None):
        self.target, self.port, self.label, self.spares = target, None, label, False
        self.loop = asyncio.new_event_loop()
        self.whole = {"up": asyncio.Event(), "down": asyncio.Event()}
        for event in self.whole.values():
            event.set()
        started = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self.thread.start()
        started.wait()

    def _run(self, started):
        self.loop.run_until_complete(self._listen(started))

    async def _listen(self, started):
        server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port, self.end = server.sockets[0].getsockname()[1], asyncio.Event()
        started.set()
        await self.end.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _accepted(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await self.whole["up"].wait()
            further = await asyncio.open_connection("127.0.0.1", self.target)
            try:
                labelled = asyncio.Event()
                await asyncio.gather(self._pass(reader, further[1], "up", labelled), self._pass(further[0], writer, "down", labelled))
            finally:
                further[1].close()
        writer.close()

    async def _pass(self, reader, writer, way, labelled):
        while data := await reader.read(1 << 16):
            if self.label is not None and self.label in data:
                labelled.set()
            if not (self.spares and labelled.is_set()):
                await self.whole[way].wait()
            writer.write(data)
            await writer.drain()
        writer.close()

    def _each(self, ways, act):
        for way in ways:
            self.loop.call_soon_threadsafe(act, self.whole[way])

    def cut(self, *ways, spares=False):
        """Both ways, or that from the client (`up`), or that to it (`down`); but for the labelled connections, or all."""
        self.spares = spares
        self._each(ways or self.whole, asyncio.Event.clear)

    def mend(self):
        self._each(self.whole, asyncio.Event.set)

    def close(self):
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join()
        self.loop.close()
