public import Foundation

/// Hears how the connection of a ``Scaledrone`` stands.
///
/// Implement one of the two shapes of each method: `error: Error?` is that of Scaledrone's client since 0.5, `error: NSError?`
/// that of 0.3 and 0.4. Where a class has both, the newer one is called. In either the error is an `NSError`, as
/// ``Scaledrone`` describes it.
public protocol ScaledroneDelegate: AnyObject {
    /// The client is connected, told once for each ``Scaledrone/connect()``: subscribe to rooms here. Or it never will be,
    /// and `error` says why.
    func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?)

    /// Something went wrong: a message that could not be published or read, a room that was lost, a broker that cannot be
    /// reached yet.
    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?)

    /// The end, told once for each ``Scaledrone/connect()``: after ``Scaledrone/disconnect()`` without an error, or with the
    /// one that coming back would not mend. A connection that comes back by itself is not told.
    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?)

    /// The shape of version 0.3; see the newer one.
    func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?)

    /// The shape of version 0.3; see the newer one.
    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: NSError?)

    /// The shape of version 0.3; see the newer one.
    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?)
}

extension ScaledroneDelegate {
    /// Calls the shape of version 0.3.
    public func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) {
        self.scaledroneDidConnect(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Calls the shape of version 0.3.
    public func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?) {
        self.scaledroneDidReceiveError(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Calls the shape of version 0.3.
    public func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?) {
        self.scaledroneDidDisconnect(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Does nothing.
    public func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?) {}

    /// Does nothing.
    public func scaledroneDidReceiveError(scaledrone: Scaledrone, error: NSError?) {}

    /// Does nothing.
    public func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?) {}
}
