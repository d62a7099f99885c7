package import NIOCore

/// What another node has answered.
package struct NodeView: Equatable, Sendable {
    package var number: NodeNumber
    /// Of its machine.
    package var host: String
    /// A JSON document; `nil`: it did not answer in time, or does not know the question.
    package var document: ByteBuffer?

    package init(number: NodeNumber, host: String, document: ByteBuffer?) {
        self.number = number
        self.host = host
        self.document = document
    }
}
