package import RoomWire

/// A backup that a broker has made, ready to be fetched: `Backup` in `Schemas/admin.openapi.yaml`.
public struct AdminBackup: AdminDocument, Equatable, Sendable {
    /// A file of a backup.
    public struct File: AdminDocument, Equatable, Sendable {
        /// Its name. A server that is no broker could send any: check it before it becomes the name of a file.
        public package(set) var name = ""
        /// Its length.
        public package(set) var bytes: Int64 = 0
        /// Its checksum, in 64 hexadecimal digits.
        public package(set) var sha256 = ""

        package init(name: String, bytes: Int64, sha256: String) {
            (self.name, self.bytes, self.sha256) = (name, bytes, sha256)
        }

        package init(placeholder: ()) {}

        package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault)
        {
            try visitor.field("name", &self.name)
            try visitor.field("bytes", &self.bytes, .atLeast(0))
            try visitor.field("sha256", &self.sha256)
        }
    }

    /// Its id.
    public package(set) var id = ""
    /// The moment that it shows.
    public package(set) var created = AdminTime(rawValue: "")
    /// Its files.
    public package(set) var files: [File] = []

    package init(id: String, created: AdminTime, files: [File]) {
        (self.id, self.created, self.files) = (id, created, files)
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.field("created", &self.created)
        try visitor.field("files", &self.files)
    }
}
