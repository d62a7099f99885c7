public import Foundation

/// Gets the result of ``Scaledrone/authenticate(jwt:)``.
///
/// Implement one of the two shapes. If a class has both, the newer one is called.
public protocol ScaledroneAuthenticateDelegate: AnyObject {
    /// The broker has accepted the token, or has rejected it with an `error`.
    func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: (any Error)?)

    /// The shape of version 0.3; see the newer one.
    func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: NSError?)
}

extension ScaledroneAuthenticateDelegate {
    /// Calls the shape of version 0.3.
    public func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: (any Error)?) {
        self.scaledroneDidAuthenticate(scaledrone: scaledrone, error: error as NSError?)
    }

    /// Does nothing.
    public func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: NSError?) {}
}
