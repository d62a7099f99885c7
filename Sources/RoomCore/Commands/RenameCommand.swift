package import RoomModel

/// A plain-text client's new name on its way into its room.
package struct RenameCommand: Equatable, Sendable {
    package var origin: Origin
    /// With the new name.
    package var sender: Sender
    package var name: String
    /// The author for whom the room's rules hold.
    package var author: Author

    package init(origin: Origin, sender: Sender, name: String, author: Author) {
        self.origin = origin
        self.sender = sender
        self.name = name
        self.author = author
    }
}

extension RenameCommand: RecordParts {
    package init(placeholder: ()) { self.init(origin: .blank, sender: .blank, name: "", author: .local) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.part("origin", &self.origin)
        try visitor.part("sender", &self.sender)
        try visitor.part("name of a rename", &self.name)
        try visitor.part("author", &self.author)
    }
}
