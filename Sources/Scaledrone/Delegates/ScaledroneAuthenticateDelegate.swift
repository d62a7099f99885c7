public import Foundation

/// Hears what became of ``Scaledrone/authenticate(jwt:)``.
///
/// Implement one of the two shapes; where a class has both, the newer one is called.
public protocol ScaledroneAuthenticateDelegate: AnyObject {
    /// The broker has taken the token, or `error` says what it has against it.
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
