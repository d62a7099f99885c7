/// Member data with a name and a colour.
public struct MemberProfile: Sendable, Hashable {
    /// The display name.
    public var name: String
    /// The colour that the member has chosen; `nil` if there is none, or if another client has sent an invalid one.
    public var color: MemberColor?

    /// Creates a profile, which is encoded as `{"name":…,"color":…}`.
    public init(name: String, color: MemberColor? = nil) {
        self.name = name
        self.color = color
    }

    /// Creates a profile with a CSS colour, such as `#2e7d32` or `teal`.
    ///
    /// - Throws: ``RoomClientError/Code/invalidField`` if `color` is not a colour.
    public init(name: String, color: String) throws(RoomClientError) {
        self.init(name: name, color: try MemberColor(color))
    }

    /// The chosen colour, or the default colour for the name.
    public var displayColor: MemberColor { self.color ?? .derived(from: self.name) }
}

extension MemberProfile: Codable {
    private enum CodingKeys: CodingKey {
        case name, color
    }

    /// Decodes `{"name":…,"color":…}`. Throws `DecodingError` if there is no name.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try fields.decode(String.self, forKey: .name)
        // An invalid colour of another client is no reason to hide its name.
        self.color = try? fields.decode(MemberColor.self, forKey: .color)
    }
}
