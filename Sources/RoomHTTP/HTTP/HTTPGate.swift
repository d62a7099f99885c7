package import RoomModel

/// Counts connections in and out, together with those of the other listeners.
package protocol HTTPGate: Sendable {
    /// Counts one in, or says why not.
    func enter(_ address: IPAddress?) -> RequestError?

    func leave(_ address: IPAddress?)
}
