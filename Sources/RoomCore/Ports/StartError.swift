/// Why a broker does not start, in words that an operator can act on.
package struct StartError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
