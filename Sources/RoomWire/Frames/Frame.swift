/// A frame that its `type` tells from others: the fields behind the `type` are described once, for the broker and for the SDK. The
/// `callback` and the stamp belong to the envelope.
package protocol Frame: DescribedObject {
    /// ``FrameType`` or ``BrokerFrameType``.
    associatedtype TypeName: WireWord

    var type: TypeName { get }
}
