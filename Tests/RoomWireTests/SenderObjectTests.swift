import NIOCore
import RoomWire
import Testing

@Suite struct SenderObjectTests {
    @Test(
        arguments: [
            (#"{"id":"Luke"}"#, "Luke", nil, nil, nil),
            (#"{"id":"roomline","kind":"broker"}"#, "roomline", "broker", nil, nil),
            (
                #"{ "clientData" : {"id":"x", "a":1.0} ,"i\u0064":"L\u00fake","authData":[1]}"#, "Lúke", nil,
                #"{"id":"x", "a":1.0}"#, "[1]"
            ),
            (#"{"id":"a","clientData":null,"kind":7,"newer":{"kind":"x"}}"#, "a", nil, "null", nil),
            (#"{"id":7}"#, "", nil, nil, nil), ("{}", "", nil, nil, nil), ("[]", "", nil, nil, nil),
            ("", "", nil, nil, nil),
            (#"{"id":"a","kind":"#, "a", nil, nil, nil),
        ] as [(String, String, String?, String?, String?)]
    )
    func `what a sender or a member says of itself`(
        text: String,
        id: String,
        kind: String?,
        clientData: String?,
        authData: String?
    ) {
        var json = ByteBuffer(string: "__" + text)
        json.moveReaderIndex(forwardBy: 2)
        let sender = SenderObject(json)
        #expect(sender.id == id)
        #expect(sender.kind == kind)
        #expect(sender.clientData.map { String(buffer: $0) } == clientData)
        #expect(sender.authData.map { String(buffer: $0) } == authData)
    }
}
