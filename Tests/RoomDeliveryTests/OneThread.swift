import NIOCore
import NIOPosix

/// An actor that stays on one thread; the main actor does not, on Linux.
///
/// The thread is its own: these tests compute for seconds on end, and the loops that all share have clients of other tests, whose
/// time-outs would pass meanwhile.
@globalActor actor OneThread {
    static let shared = OneThread()

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private static let loop = OneThread.group.next()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.executor.asUnownedSerialExecutor() }
}
