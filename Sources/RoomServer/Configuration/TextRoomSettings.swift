package import RoomModel

/// Where plain-text clients talk (protocol §4).
package struct TextRoomSettings: Equatable, Sendable {
    package var channel = ChannelID.standard
    /// `nil`: plain text is off.
    package var room: RoomName? = RoomName("lobby")

    package init() {}
}
