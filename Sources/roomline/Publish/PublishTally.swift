import Foundation
import RoomClient

/// Says what became of each message, and knows in the end whether all are stored.
actor PublishTally {
    private let isVerbose: Bool
    private var stored = 0
    private var refused = 0
    private var onlyRefusal: LinePublisher.Refusal?

    init(isVerbose: Bool) {
        self.isVerbose = isVerbose
    }

    /// - Parameter line: of the input; `nil` for the only message.
    func count(_ outcome: LinePublisher.Outcome, line: Int?) {
        switch outcome {
        case .success(let receipt):
            self.stored += 1
            guard self.isVerbose else { return }
            let seq = receipt.seq.map { "\($0)" } ?? "-"
            // Whether anybody reads it does not change what is stored.
            try? StandardOutput.output.write("\(seq) \(receipt.id.uuidString.lowercased())\n")
        case .failure(let refusal):
            self.refused += 1
            if let line {
                CommandFailure.say("line \(line): \(refusal.text)")
            } else {
                self.onlyRefusal = refusal
            }
        }
    }

    /// `nil` where everything is stored.
    var failure: CommandFailure? {
        guard self.refused > 0 else { return nil }
        return CommandFailure(
            code: .refused,
            text: self.onlyRefusal?.text ?? "\(self.refused) not stored, \(self.stored) stored"
        )
    }
}
