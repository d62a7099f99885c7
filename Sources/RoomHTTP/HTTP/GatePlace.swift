import NIOCore
import RoomCore
import RoomModel

/// The place of one connection at the gate. Bound to the event loop of its connection.
final class GatePlace {
    private let gate: ConnectionGate
    /// The address that it counts for.
    private var address: IPAddress?
    private let admission: ConnectionGate.Admission

    /// - Parameter admission: the gate's answer to this address.
    init(_ gate: ConnectionGate, _ address: IPAddress?, _ admission: ConnectionGate.Admission) {
        self.gate = gate
        self.address = address
        self.admission = admission
    }

    func leave() { self.gate.leave(self.address, self.admission) }

    /// The connection becomes one of the rooms.
    ///
    /// - Parameter client: the address of whoever asked, which may have come by way of a proxy.
    func moveToRooms(as client: IPAddress?, now: NIODeadline) throws(Problem) {
        if let error = self.gate.moveToRooms(self.address, as: client, now: now.uptimeNanoseconds) {
            throw Problem(error)
        }
        self.address = client
    }
}
