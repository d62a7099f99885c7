package import Metrics
import NIOConcurrencyHelpers

/// HTTP requests as they were answered.
///
/// No label is made of what a client sends: routes are given as patterns, and methods that HTTP does not know are
/// `other`.
package final class HTTPInstruments: Sendable {
    private struct Answer: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    /// The route label of a request that was refused before it came to a route.
    package static let noRoute = "none"

    private let factory: any MetricsFactory
    private let requests = NIOLockedValueBox<[Answer: Counter]>([:])
    private let durations = NIOLockedValueBox<[String: Metrics.Timer]>([:])

    package init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// - Parameter route: the pattern, as `/{channel}/{room}/publish`; the same few strings for all requests.
    package func answered(
        _ method: String,
        _ route: String,
        _ status: Int,
        nanoseconds: Int64
    ) {
        let answer = Answer(
            route: route,
            method: Self.known.contains(method) ? method : "other",
            status: status
        )
        let counter = self.requests.withLockedValue { requests in
            if let known = requests[answer] { return known }
            let dimensions = [("route", route), ("method", answer.method), ("status", "\(answer.status)")]
            let new = Counter(label: "roomline.http.requests", dimensions: dimensions, factory: self.factory)
            requests[answer] = new
            return new
        }
        let duration = self.durations.withLockedValue { durations in
            if let known = durations[route] { return known }
            let new = Metrics.Timer(
                label: "roomline.http.request.duration",
                dimensions: [("route", route)],
                factory: self.factory
            )
            durations[route] = new
            return new
        }
        counter.increment()
        duration.recordNanoseconds(nanoseconds)
    }

    private static let known: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
    ]
}
