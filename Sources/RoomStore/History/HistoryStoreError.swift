/// The history file cannot be opened. The text says which file, why, and what to do.
package struct HistoryStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    package var text: String

    package init(text: String) {
        self.text = text
    }

    package var description: String { self.text }
}
