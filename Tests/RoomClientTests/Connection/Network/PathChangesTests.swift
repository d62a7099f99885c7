import Testing

@testable import RoomClient

/// Which reports of the system about the network path are a reason to try to connect now.
@Suite struct PathChangesTests {
    private static let none = NetworkPath(isUsable: false)
    private static let home = NetworkPath(isUsable: true, interface: "en0", gateways: ["192.168.1.1"])
    private static let office = NetworkPath(isUsable: true, interface: "en0", gateways: ["10.0.0.1"])
    private static let mobile = NetworkPath(isUsable: true, interface: "pdp_ip0")

    @Test(
        arguments: [
            ([Self.home], [false]),
            ([Self.none, Self.home], [false, true]),
            ([Self.home, Self.home], [false, false]),
            ([Self.home, Self.none], [false, false]),
            ([Self.home, Self.none, Self.home], [false, false, true]),
            ([Self.home, Self.mobile, Self.mobile], [false, true, false]),
            ([Self.home, Self.office], [false, true]),
        ]
    )
    func `a path that is new and usable is a reason`(reports: [NetworkPath], reasons: [Bool]) {
        var changes = PathChanges()
        #expect(reports.map { changes.moved(to: $0) } == reasons)
    }
}
