import NIOConcurrencyHelpers

/// What one side has put down and the other side, a test, has not taken yet.
final class Inbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var reader: CheckedContinuation<Element?, Never>?
    }

    private let state = NIOLockedValueBox(State())

    func add(_ element: Element) {
        let reader = self.state.withLockedValue { state in
            guard let reader = state.reader else {
                state.elements.append(element)
                return nil as CheckedContinuation<Element?, Never>?
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: element)
    }

    /// Waits for the next element; for one task at a time.
    func next() async throws -> Element {
        let element = await withTaskCancellationHandler {
            await withCheckedContinuation { self.wait($0) }
        } onCancel: {
            self.takeReader()?.resume(returning: nil)
        }
        guard let element else { throw CancellationError() }
        return element
    }

    /// Takes what is there.
    func takeAll() -> [Element] {
        self.state.withLockedValue { state in
            defer { state.elements = [] }
            return state.elements
        }
    }

    private func wait(_ reader: CheckedContinuation<Element?, Never>) {
        let (isOver, element) = self.state.withLockedValue { state -> (Bool, Element?) in
            if !state.elements.isEmpty { return (true, state.elements.removeFirst()) }
            if Task.isCancelled { return (true, nil) }
            state.reader = reader
            return (false, nil)
        }
        if isOver { reader.resume(returning: element) }
    }

    private func takeReader() -> CheckedContinuation<Element?, Never>? {
        self.state.withLockedValue { state in
            defer { state.reader = nil }
            return state.reader
        }
    }
}
