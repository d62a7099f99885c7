import ArgumentParser
import Foundation
import RoomClient
import RoomModel

/// Says what became of each message, of the same trouble once, and knows in the end whether all are stored.
actor PublishTally {
    /// The lines that were refused for one reason.
    private struct Trouble {
        let text: String
        let first: Int
        var last: Int
        var count = 1
    }

    /// Reasons that name what was wrong with a line can be as many as the lines: more of them are only counted.
    private static let mostTroubles = 100

    private let isVerbose: Bool
    private var stored = 0
    private var refused = 0
    private var troubles: [Trouble] = []
    private var mayBeRepeated = false
    private var onlyRefusal: LinePublisher.Refusal?
    private var closed: StandardOutput.Closed?
    /// The last line that was sent; `nil` where all were.
    private var end: Int?
    private var lastCounted = 0

    init(isVerbose: Bool) {
        self.isVerbose = isVerbose
    }

    /// - Parameter line: of the input; `nil` for the only message.
    func count(_ outcome: LinePublisher.Outcome, line: Int?) {
        self.lastCounted = line ?? 1
        switch outcome {
        case .success(let receipt):
            self.stored += 1
            if self.isVerbose {
                self.write("\(receipt.seq.map { "\($0)" } ?? "-") \(receipt.id.uuidString.lowercased())\n")
            }
        case .failure(let refusal):
            self.refused += 1
            self.mayBeRepeated = self.mayBeRepeated || refusal.mayBeRepeated
            guard let line else {
                self.onlyRefusal = refusal
                return
            }
            self.note(refusal.text, line)
        }
    }

    /// No line is sent behind the last one that was counted.
    func stopped() { self.end = self.lastCounted }

    /// Says how to go on.
    ///
    /// - Parameter id: the `message_id` of the first message.
    func interrupted(at id: UniqueID) {
        CommandFailure.say("interrupted: \(self.stored) stored, and perhaps some behind them" + Self.hint(id))
    }

    private static func hint(_ id: UniqueID) -> String {
        "; to publish the same again, and nothing twice, add --message-id \(id) within ten minutes"
    }

    /// - Parameter id: the `message_id` of the first message.
    /// - Returns: `nil` where everything is stored, and printed where that was wished.
    func failure(of id: UniqueID) -> CommandFailure? {
        for trouble in self.troubles where trouble.count > 1 {
            CommandFailure.say(
                "the same of \(Counted.text(trouble.count - 1, "more line")) from line \(trouble.first) to line \(trouble.last): \(trouble.text)"
            )
        }
        guard self.refused > 0 else {
            return self.closed.flatMap { $0.isGone ? nil : CommandFailure($0) }
        }
        let rest = self.end.map { ", and those behind line \($0) not sent" } ?? ""
        let text = self.onlyRefusal?.text ?? "\(self.refused) not stored, \(self.stored) stored\(rest)"
        return CommandFailure(code: .refused, text: self.mayBeRepeated ? text + Self.hint(id) : text)
    }

    private func note(_ text: String, _ line: Int) {
        if let index = self.troubles.firstIndex(where: { $0.text == text }) {
            self.troubles[index].count += 1
            self.troubles[index].last = line
        } else if self.troubles.count < Self.mostTroubles {
            self.troubles.append(Trouble(text: text, first: line, last: line))
            CommandFailure.say("line \(line): \(text)")
        }
    }

    /// What is stored does not depend on whether it can be printed: the messages go on.
    private func write(_ line: String) {
        guard self.closed == nil else { return }
        do throws(StandardOutput.Closed) {
            try StandardOutput.output.write(line)
        } catch {
            self.closed = error
        }
    }
}

extension UniqueID {
    /// For an option.
    static func argument(_ text: String) throws -> UniqueID {
        guard let id = UniqueID(text.utf8) else {
            throw ValidationError("\"\(text)\" is no UUID, such as 3d6c0a52-6b0e-4c5e-9a53-0a3f1a2b4c5d.")
        }
        return id
    }
}
