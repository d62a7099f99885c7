import Dispatch
import Foundation

/// Signals of the operating system as a sequence, in place of what they would do by themselves.
struct ProcessSignals: AsyncSequence, Sendable {
    typealias Failure = Never

    private let numbers: [Int32]

    init(_ numbers: Int32...) {
        self.numbers = numbers
    }

    func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(16))
        let sources = self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.activate()
            return source
        }
        return Iterator(base: stream.makeAsyncIterator(), sources: sources)
    }

    struct Iterator: AsyncIteratorProtocol {
        typealias Failure = Never

        fileprivate var base: AsyncStream<Int32>.Iterator
        /// Kept while somebody waits.
        fileprivate let sources: [any DispatchSourceSignal]

        mutating func next(isolation actor: isolated (any Actor)?) async -> Int32? {
            await self.base.next(isolation: actor)
        }

        mutating func next() async -> Int32? {
            await self.next(isolation: #isolation)
        }
    }
}
