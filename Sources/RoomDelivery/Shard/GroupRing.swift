import DequeModule

/// The elements that wait for a turn, in a queue for each group. The groups take turns, and in each the first that
/// came.
package struct GroupRing<Element> {
    private var ring: Deque<WorkGroup> = []
    private var queues: [WorkGroup: Deque<Element>] = [:]

    package init() {}

    package var isEmpty: Bool { self.ring.isEmpty }
    /// Groups that have something waiting.
    var groups: Int { self.ring.count }

    package mutating func append(_ element: Element, of group: WorkGroup) {
        if self.queues[group, default: []].isEmpty { self.ring.append(group) }
        self.queues[group, default: []].append(element)
    }

    /// Takes out the element whose turn it is.
    package mutating func popFirst() -> Element? {
        guard let group = self.ring.popFirst(), let element = self.queues[group]?.popFirst() else { return nil }
        if self.queues[group]?.isEmpty ?? true {
            self.queues[group] = nil
        } else {
            self.ring.append(group)
        }
        return element
    }
}
