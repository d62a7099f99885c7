package import NIOCore

/// Who is in a room, to a client that asked.
package struct MembersReply: Equatable, Sendable {
    /// The JSON objects, see ``SenderObject``; none when there are more members than the broker lists.
    package let members: [ByteBuffer]
    package let count: Int

    package init(members: [ByteBuffer], count: Int) {
        self.members = members
        self.count = count
    }
}
