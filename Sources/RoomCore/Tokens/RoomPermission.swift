/// What a token lets its member do in one room.
package struct RoomPermission: Equatable, Sendable {
    package var publish: Bool
    package var subscribe: Bool
    /// How many of the newest messages may be read; 0: none.
    package var history: Int
    package var moderate: Bool

    package init(publish: Bool = false, subscribe: Bool = false, history: Int = 0, moderate: Bool = false) {
        self.publish = publish
        self.subscribe = subscribe
        self.history = history
        self.moderate = moderate
    }

    package static let nothing = RoomPermission()

    /// Where no token restricts anything.
    package static let everything = RoomPermission(publish: true, subscribe: true, history: .max, moderate: false)
}
