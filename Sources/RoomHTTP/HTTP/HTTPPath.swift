import RoomModel

/// Which half of the HTTP side a path belongs to. The first name decides, as it stands: no channel can have these.
enum HTTPPath {
    static func isReserved(_ path: String) -> Bool {
        let name = self.firstName(path)
        return name.isEmpty || ChannelID.reserved.contains(String(name))
    }

    static func isAdmin(_ path: String) -> Bool { self.firstName(path) == "admin" }

    static func isHealth(_ path: String) -> Bool { self.firstName(path) == "health" }

    private static func firstName(_ path: String) -> Substring {
        path.dropFirst().prefix { $0 != "/" && $0 != "?" }
    }
}
