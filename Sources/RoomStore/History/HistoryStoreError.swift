/// The history file cannot be opened. The text says which file, why, and what to do.
package struct HistoryStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    package var text: String

    package var description: String { self.text }
}
