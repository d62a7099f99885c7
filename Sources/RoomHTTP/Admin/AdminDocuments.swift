import RoomDelivery
import RoomDocuments
import RoomJSON
import RoomMetrics
import RoomModel
import RoomWire

// What the broker's parts tell, as the documents of the admin API have it.

extension AdminReceipt {
    init(_ receipt: ExternalPublishReceipt) {
        self.init(placeholder: ())
        (self.id, self.seq, self.isDuplicate) = ("\(receipt.id)", receipt.seq, receipt.isDuplicate)
        self.time = AdminTime(milliseconds: receipt.id.milliseconds)
    }
}

extension AdminStatistics.BusyConnection {
    init(_ connection: BusyConnections.Connection) {
        self.init(placeholder: ())
        let (member, address) = (connection.flow.member, connection.flow.address)
        (self.channel, self.id) = (member?.channel.text, member?.id.text)
        (self.clientDataBytes, self.address) = (member?.clientData, address.map { "\($0)" })
        self.loopPercent = connection.percent
    }
}

extension AdminStatistics.BusyAddress {
    init(_ address: BusyConnections.Address) {
        self.init(placeholder: ())
        (self.address, self.connections) = ("\(address.address)", address.connections)
        self.loopPercent = address.percent
    }
}

extension AdminStatistics.BusyRoom {
    init(_ room: BusyConnections.Room) {
        self.init(placeholder: ())
        (self.channel, self.room, self.loopPercent) = (room.room.channel.text, room.room.room.text, room.percent)
    }
}
