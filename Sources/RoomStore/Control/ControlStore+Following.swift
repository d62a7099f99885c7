import GRDB
package import RoomCore
import RoomModel

/// The control file of a node of a cluster: it follows the control stream.
extension ControlStore {
    /// Tells how far the file has what the stream says.
    ///
    /// - Parameter log: names the stream: a place means nothing in others.
    /// - Returns: the newest record whose change was made; `nil`: there was none.
    package func follow(_ log: String) throws(ChannelDirectoryError) -> KnownRecord? {
        try self.write { db in
            try db.execute(sql: Self.tables)
            try KnownRecord.addTime(to: "followed_control", db)
            let found = try Row.fetchOne(db, sql: "SELECT log, place, time FROM followed_control")
            if let found {
                guard found["log"] == log else {
                    throw ChannelDirectoryError(
                        .unavailable,
                        text: "the control file follows the cluster \(found["log"] as String): start the node with that"
                            + " cluster, or with an empty data directory"
                    )
                }
                return KnownRecord(found)
            }
            guard try StoredChannel.fetchAll(db).isEmpty else {
                throw ChannelDirectoryError(
                    .unavailable,
                    text: """
                        the control file is that of a broker that runs alone: start the node with an empty data directory, or \
                        begin the cluster with this one: roomline cluster begin
                        """
                )
            }
            try db.execute(sql: "INSERT INTO followed_control (log, place) VALUES (?, NULL)", arguments: [log])
            return nil
        }
    }

    /// Has the file of a broker that ran alone follow the control stream of a cluster, from its beginning.
    ///
    /// - Returns: `log`, or the log that an earlier call has named of which nothing was followed yet.
    package func beginFollowing(_ log: String) throws(ChannelDirectoryError) -> String {
        try self.change { db in
            try db.execute(sql: Self.tables)
            if let found = try Row.fetchOne(db, sql: "SELECT log, place FROM followed_control") {
                let name: String = found["log"]
                guard found["place"] == nil else {
                    throw ChannelDirectoryError(
                        .exists,
                        text: "it has the files of a node of the cluster \(name) already"
                    )
                }
                return name
            }
            try db.execute(sql: "INSERT INTO followed_control (log, place) VALUES (?, NULL)", arguments: [log])
            return log
        }
    }

    /// The control stream that a file which nobody has open follows, and through where it has it; `nil`: it follows none, or cannot be read.
    package static func followedCluster(in directory: String) -> (log: String, place: UInt64?)? {
        let row = self.peek(directory) { db in
            try db.tableExists("followed_control")
                ? Row.fetchOne(db, sql: "SELECT log, place FROM followed_control") : nil
        }
        return row.map { ($0["log"], ($0["place"] as Int64?).map { UInt64($0) }) }
    }

    /// Whether a file which nobody has open has channels, as that of a broker.
    package static func hasChannels(in directory: String) -> Bool {
        self.peek(directory) { try String.fetchOne($0, sql: "SELECT id FROM channel LIMIT 1") } != nil
    }

    /// What the file has, or else its backup.
    private static func peek<Value>(_ directory: String, _ body: (Database) throws -> Value?) -> Value? {
        for name in [BackupStore.controlName, BackupStore.controlName + ".backup"] {
            var configuration = Configuration()
            configuration.readonly = true
            let value = try? DatabaseQueue(path: "\(directory)/\(name)", configuration: configuration).read(body)
            if let value { return value }
        }
        return nil
    }

    /// A closed file follows no cluster any more.
    static func leaveCluster(_ path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { db in
            for table in ["followed_control", "followed_control_node"] {
                try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
            }
        }
        try database.close()
    }

    /// Makes the change of a record, unless one with this number of its node was made before, and notes its place and time.
    ///
    /// - Returns: what came of it, on all nodes alike; `nil`: it was made before.
    /// - Throws: where the file cannot be written; then nothing is noted.
    package func make(
        _ change: ControlChange,
        _ number: UInt64,
        of node: NodeNumber,
        at place: LogOffset,
        time: Int64
    ) throws(ChannelDirectoryError) -> Result<ControlChange.Outcome, ChannelDirectoryError>? {
        try self.change { db in
            try db.execute(
                sql: "UPDATE followed_control SET place = ?, time = ?",
                arguments: [Int64(place.rawValue), time]
            )
            let newest = try Int64.fetchOne(
                db,
                sql: "SELECT newest FROM followed_control_node WHERE node = ?",
                arguments: [node.rawValue]
            )
            guard Int64(number) > newest ?? 0 else { return nil }
            try db.execute(
                sql: "INSERT OR REPLACE INTO followed_control_node (node, newest) VALUES (?, ?)",
                arguments: [node.rawValue, Int64(number)]
            )
            var outcome: Result<ControlChange.Outcome, ChannelDirectoryError>?
            do {
                try db.inSavepoint {
                    outcome = .success(try change.make(in: db))
                    return .commit
                }
            } catch let error as ChannelDirectoryError {
                outcome = .failure(error)
            }
            return outcome
        }
    }

    /// `Schemas/store/followed-control.sql`, word for word.
    static let tables = """
        -- One row: the control stream of the cluster, and the newest record whose change was made.
        CREATE TABLE IF NOT EXISTS followed_control (
            log TEXT NOT NULL,
            place INTEGER,
            -- When the stream took this record, in Unix milliseconds: the stream is known by it. 0: that is not known.
            time INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- The newest change of each life of a node: a repeat of it is not made again.
        CREATE TABLE IF NOT EXISTS followed_control_node (
            node INTEGER PRIMARY KEY,
            newest INTEGER NOT NULL
        ) STRICT;

        """
}
