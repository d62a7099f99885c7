import ArgumentParser
import RoomWire

/// `N` or `none`.
struct LimitArgument: ExpressibleByArgument, Equatable, Sendable {
    let most: Int?

    init?(argument: String) {
        guard argument != "none" else {
            self.most = nil
            return
        }
        guard let most = Int(argument), most > 0 else { return nil }
        self.most = most
    }

    var tree: JSONTree { .optional(self.most) { .integer($0) } }
}

/// `NAME=N` or `NAME=none`.
struct NamedLimitArgument: ExpressibleByArgument, Equatable, Sendable {
    let name: String
    let limit: LimitArgument

    init?(argument: String) {
        let sides = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2, let limit = LimitArgument(argument: sides[1]) else { return nil }
        self.name = sides[0]
        self.limit = limit
    }
}
