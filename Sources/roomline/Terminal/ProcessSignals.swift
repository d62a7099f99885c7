import Dispatch
import Foundation

/// Signals of the operating system as a sequence, in place of what they would do by themselves, from the moment this is made.
///
/// The handler puts each into a pipe. A dispatch source would do, but it begins to listen a little later, and a signal that
/// comes meanwhile is lost or ends the process.
struct ProcessSignals: Sendable {
    let stream: AsyncStream<Int32>

    // The handler looks at this; it is made before there is one, and never goes away.
    nonisolated(unsafe) private static let writer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// Ends the process as the signal does where nobody handles it, so that whoever waits for it sees that.
    static func end(by number: Int32) {
        signal(number, SIG_DFL)
        // Dispatch blocks signals in its threads.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }

    /// For one place in a process: a later one takes the signals of an earlier one.
    init(_ numbers: Int32...) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(16))
        self.stream = stream
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            continuation.finish()
            return
        }
        let reader = ends[0]
        Self.writer.initialize(to: ends[1])
        for number in numbers {
            signal(number) { number in
                let earlierError = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(ProcessSignals.writer.pointee, &byte, 1)
                errno = earlierError
            }
        }
        DispatchQueue(label: "signals").async {
            var byte: UInt8 = 0
            while read(reader, &byte, 1) == 1 || errno == EINTR { continuation.yield(Int32(byte)) }
        }
    }
}
