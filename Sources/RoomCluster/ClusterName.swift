import RoomCore

/// The cluster's name, from which those of its streams and subjects follow, so that several clusters can share servers.
package struct ClusterName: Equatable, Sendable {
    /// As it stands in subjects.
    package let text: String

    /// - Returns: `nil` unless the name has 1 to 32 of the characters a–z, 0–9 and `-`, of which a letter is first.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "-")
        }
        guard isAllowed, 1...32 ~= text.utf8.count, text.first?.isLetter == true else { return nil }
        self.text = text
    }

    /// That of clusters that have no name of their own.
    package static let standard = ClusterName(checked: "rl")

    private init(checked text: String) { self.text = text }

    private var streams: String { self.text.uppercased() }

    /// The stream of changes of channels, tokens and limits, and its only subject.
    var control: StreamName { StreamName(stream: "\(self.streams)_CONTROL", subject: "\(self.text).control") }

    /// The stream of a partition, and its only subject.
    func partition(_ index: Int) -> StreamName {
        let digits = String(index)
        let number = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return StreamName(stream: "\(self.streams)_P\(number)", subject: "\(self.text).p.\(number)")
    }

    /// The stream of what stands in the place of erased records.
    var redacted: StreamName {
        StreamName(stream: "\(self.streams)_REDACTED", subject: "\(self.text).redacted.>")
    }

    /// The subject of what stands in one place.
    func replacement(at place: UInt64, of stream: StreamName) -> String {
        "\(self.text).redacted.\(stream.stream).\(place)"
    }

    /// The subject of the nodes' heartbeats.
    var heartbeats: String { "\(self.text).hb" }

    /// The subject of what a node is asked.
    func node(_ node: NodeNumber) -> String { "\(self.text).n.\(node.rawValue)" }

    /// The beginning of the subjects that answers come to.
    var inbox: String { "\(self.text).i" }

    /// The beginning of the subjects that the consumers of a node deliver to.
    func deliveries(of incarnation: String) -> String { "\(self.text).d.\(incarnation)" }
}

/// A stream and its only subject, which has a wildcard where each message has a subject of its own.
struct StreamName: Equatable, Sendable {
    let stream: String
    let subject: String

    /// The subject of a message that is only to be refused: where the stream has one subject, that one.
    var trial: String { self.subject.replacing(">", with: "trial") }
}
