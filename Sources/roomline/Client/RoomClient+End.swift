import RoomClient

extension RoomClient {
    /// Whether there is no connection any more, and will be none.
    var isOver: Bool {
        get async {
            for await state in self.connectionState {
                if case .closed = state { return true }
                return false
            }
            return true
        }
    }
}
