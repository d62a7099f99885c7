import RoomClient
import RoomModel

/// Publishes into one room in the order given, without waiting for one message before the next goes out, but with a bounded
/// number of them unacknowledged.
struct LinePublisher: Sendable {
    /// Why a message is not stored, or perhaps not.
    struct Refusal: Error {
        let text: String
        /// Whether the same message with the same id may be stored another time.
        var mayBeRepeated = false
        /// Whether there was no broker for as long as one message may wait.
        var isTimeOut = false
    }

    typealias Outcome = Result<PublishReceipt, Refusal>

    /// Enough to keep a distant broker busy.
    private static let window = 1_000
    /// Far above what a broker takes as one message; what is longer is not even tried.
    private static let longestLine = 16 * 1024 * 1024

    let client: RoomClient
    let room: String
    /// The messages are JSON already.
    let isJSON: Bool
    /// The `message_id` of the first message; each later line has the next one.
    let firstID: UniqueID

    /// - Parameter firstID: `nil`: a random one.
    init(client: RoomClient, room: String, isJSON: Bool, firstID: UniqueID? = nil) {
        var random = SystemRandomNumberGenerator()
        (self.client, self.room, self.isJSON) = (client, room, isJSON)
        self.firstID = firstID ?? UniqueID(random: &random)
    }

    /// One message.
    func publish(_ message: String) async -> Outcome {
        await self.start(.text(message)).outcome()
    }

    /// Each line of the input. Blank lines are messages of text, but none of JSON.
    ///
    /// A file is not read on behind a line that has timed out: it can be published again, and then in order. Whoever writes into a pipe
    /// goes on.
    ///
    /// - Parameter report: told what became of each line, in their order; the first is line 1.
    /// - Returns: whether all lines were sent.
    func publish(_ input: StandardInput, report: @escaping @Sendable (Int, Outcome) async -> Void) async -> Bool {
        let (places, place) = AsyncStream.makeStream(of: Void.self)
        let (submissions, submission) = AsyncStream.makeStream(of: Submission.self)
        for _ in 0..<Self.window { place.yield() }
        return await withTaskGroup { group in
            group.addTask {
                for await submission in submissions {
                    let outcome = await submission.outcome()
                    await report(submission.line, outcome)
                    if case .failure(let refusal) = outcome, refusal.isTimeOut, input.isFile { place.finish() }
                    place.yield()
                }
            }
            defer { submission.finish() }
            return await self.submit(input, places: places, to: submission)
        }
    }

    private func submit(
        _ input: StandardInput,
        places: AsyncStream<Void>,
        to submission: AsyncStream<Submission>.Continuation
    ) async -> Bool {
        var lines = InputLines(limit: Self.longestLine)
        var places = places.makeAsyncIterator()
        var number = 0
        while true {
            let bytes = await input.next()
            for line in bytes.map({ lines.add($0) }) ?? lines.finish().map({ [$0] }) ?? [] {
                number += 1
                if self.isJSON, case .text(let text) = line, text.allSatisfy(\.isWhitespace) { continue }
                guard await places.next() != nil else { return false }
                submission.yield(self.start(line, number: number))
            }
            if bytes == nil { return true }
        }
    }

    /// Sends it off; the order of these calls is the order in the room.
    private func start(_ line: InputLines.Line, number: Int = 1) -> Submission {
        switch line {
        case .invalidUTF8: return Submission(line: number, fate: .failure(Refusal(text: "this is not UTF-8 text")))
        case .tooLong: return Submission(line: number, fate: .failure(Refusal(text: "this line is too long")))
        case .text(let text):
            do throws(RoomClientError) {
                let json = self.isJSON ? try JSON(text) : try JSON(encoding: text)
                let pending = self.client.startPublishing(json, to: self.room, messageID: self.firstID.next(number - 1))
                return Submission(line: number, fate: .success(pending))
            } catch {
                return Submission(line: number, fate: .failure(Refusal(text: "this is not JSON: \(error.message)")))
            }
        }
    }

    /// A message on its way, or one that never was.
    private struct Submission: Sendable {
        let line: Int
        let fate: Result<Pending<PublishReceipt>, Refusal>

        func outcome() async -> Outcome {
            switch self.fate {
            case .failure(let refusal): return .failure(refusal)
            case .success(let pending):
                do throws(RoomClientError) {
                    return .success(try await pending.value())
                } catch {
                    let isTimeOut = error.code == .timedOut
                    let mayBeRepeated = error.isRetryable || isTimeOut
                    return .failure(Refusal(text: error.advice, mayBeRepeated: mayBeRepeated, isTimeOut: isTimeOut))
                }
            }
        }
    }
}

extension UniqueID {
    /// The id that comes so many places later.
    func next(_ places: Int) -> UniqueID {
        UniqueID(high: self.high, low: self.low &+ UInt64(places))
    }
}
