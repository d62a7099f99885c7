package import NIOCore

/// The members of a room at one place in its order. The list is encoded once, and shared by all who are sent it.
package struct MemberSnapshot: Equatable, Sendable {
    /// A JSON array, the newest member first; empty where there are more members than are listed.
    package let list: ByteBuffer
    package let listed: Int
    package let count: Int

    package init(_ members: some Sequence<Sender>, count: Int) {
        var (list, listed) = (ByteBuffer(), 0)
        list.writeStaticString("[")
        for member in members {
            if listed > 0 { list.writeStaticString(",") }
            list.writeImmutableBuffer(member.json)
            listed += 1
        }
        list.writeStaticString("]")
        self.list = list
        self.listed = listed
        self.count = count
    }

    /// How many there are, without the list.
    package var countOnly: MemberSnapshot { MemberSnapshot([] as [Sender], count: self.count) }
}
