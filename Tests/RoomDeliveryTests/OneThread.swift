import NIOCore
import NIOPosix

/// An actor that stays on one thread; the main actor does not, on Linux.
@globalActor actor OneThread {
    static let shared = OneThread()

    private static let loop = MultiThreadedEventLoopGroup.singleton.next()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.executor.asUnownedSerialExecutor() }
}
