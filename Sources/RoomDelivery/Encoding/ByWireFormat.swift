import RoomCore

/// A value for each wire format. It stands inline: to look one up costs a comparison, to have one costs no memory of its
/// own.
struct ByWireFormat<Value> {
    private var jsonLines: Value
    private var textLines: Value
    private var webSocket: Value
    private var events: Value

    init(_ value: Value) {
        self.jsonLines = value
        self.textLines = value
        self.webSocket = value
        self.events = value
    }

    subscript(format: WireFormat) -> Value {
        get {
            switch format {
            case .jsonLines: self.jsonLines
            case .textLines: self.textLines
            case .webSocket: self.webSocket
            case .events: self.events
            }
        }
        _modify {
            switch format {
            case .jsonLines: yield &self.jsonLines
            case .textLines: yield &self.textLines
            case .webSocket: yield &self.webSocket
            case .events: yield &self.events
            }
        }
    }
}

extension ByWireFormat: Sendable where Value: Sendable {}

extension WireFormat {
    /// Made once: `allCases` makes an array each time.
    static let all = WireFormat.allCases
}
