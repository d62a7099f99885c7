public import Foundation

/// Gets the events of the connection of a ``Scaledrone``.
///
/// Implement one of the two shapes of each method: `error: Error?` is that of Scaledrone's client since 0.5, `error: NSError?`
/// that of 0.3 and 0.4. If a class has both, the newer one is called. A method that has neither shape is not called, and the client
/// warns of it on standard error. In either the error is an `NSError`, as
/// ``Scaledrone`` describes it.
public protocol ScaledroneDelegate: ScaledroneFormerDelegate {
    /// The client is connected: subscribe to rooms here. With an `error`, the client cannot connect and does not try again. Called
    /// once for each ``Scaledrone/connect()``.
    func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?)

    /// An error: a message could not be published or read, a subscription was lost, or the broker cannot be reached yet.
    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?)

    /// The connection has ended: without an error after ``Scaledrone/disconnect()``, or with the error after which the client does
    /// not reconnect. Called once for each ``Scaledrone/connect()``; not called when the client reconnects automatically.
    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?)
}

/// The methods of a ``ScaledroneDelegate`` in the shape of version 0.3. Do not conform to it alone.
///
/// An app may call its delegate itself, through the protocol's type and with any error or `nil`. Such a call means the newer
/// method, whose default calls the one of version 0.3, so that the method that the app has is called. Two methods of one
/// protocol could not do that: `nil` would mean the one with `NSError?`.
public protocol ScaledroneFormerDelegate: AnyObject {
    /// The shape of version 0.3; see the newer one.
    @_disfavoredOverload
    func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?)

    /// The shape of version 0.3; see the newer one.
    @_disfavoredOverload
    func scaledroneDidReceiveError(scaledrone: Scaledrone, error: NSError?)

    /// The shape of version 0.3; see the newer one.
    @_disfavoredOverload
    func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?)
}

extension ScaledroneDelegate {
    /// Calls the shape of version 0.3.
    public func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) {
        let former: any ScaledroneFormerDelegate = self
        former.scaledroneDidConnect(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Calls the shape of version 0.3.
    public func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?) {
        let former: any ScaledroneFormerDelegate = self
        former.scaledroneDidReceiveError(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Calls the shape of version 0.3.
    public func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?) {
        let former: any ScaledroneFormerDelegate = self
        former.scaledroneDidDisconnect(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Warns: the delegate has the method in neither shape.
    @_disfavoredOverload
    public func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?) {
        scaledrone.lacks("scaledroneDidConnect(scaledrone:error:)", self)
    }

    /// Warns: the delegate has the method in neither shape.
    @_disfavoredOverload
    public func scaledroneDidReceiveError(scaledrone: Scaledrone, error: NSError?) {
        scaledrone.lacks("scaledroneDidReceiveError(scaledrone:error:)", self)
    }

    /// Warns: the delegate has the method in neither shape.
    @_disfavoredOverload
    public func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?) {
        scaledrone.lacks("scaledroneDidDisconnect(scaledrone:error:)", self)
    }
}

/// Gets the result of ``Scaledrone/authenticate(jwt:)``.
///
/// Implement one of the two shapes. If a class has both, the newer one is called.
public protocol ScaledroneAuthenticateDelegate: ScaledroneFormerAuthenticateDelegate {
    /// The broker has accepted the token, or has rejected it with an `error`.
    func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: (any Error)?)
}

/// The method of a ``ScaledroneAuthenticateDelegate`` in the shape of version 0.3. Do not conform to it alone.
public protocol ScaledroneFormerAuthenticateDelegate: AnyObject {
    /// The shape of version 0.3; see the newer one.
    @_disfavoredOverload
    func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: NSError?)
}

extension ScaledroneAuthenticateDelegate {
    /// Calls the shape of version 0.3.
    public func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: (any Error)?) {
        let former: any ScaledroneFormerAuthenticateDelegate = self
        former.scaledroneDidAuthenticate(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Warns: the delegate has the method in neither shape.
    @_disfavoredOverload
    public func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: NSError?) {
        scaledrone.lacks("scaledroneDidAuthenticate(scaledrone:error:)", self)
    }
}
