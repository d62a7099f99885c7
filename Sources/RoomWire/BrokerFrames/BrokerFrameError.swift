package import RoomModel

/// What is wrong with a line from the broker: that it is no JSON, or that a field which we know does not fit.
package struct BrokerFrameError: Error, Hashable, Sendable {
    /// As a broker would call the same fault in a client's frame.
    package let code: Code
    /// Names the field and the frame that it stands in.
    package let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}
