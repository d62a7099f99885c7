import ArgumentParser

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
}
